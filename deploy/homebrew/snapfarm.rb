# The released program for Macs, with Homebrew. It was never tried on a Mac.
# The release workflow writes version and checksums; by hand:
#   deploy/release/formula.sh 0.1.0 SHA256SUMS https://github.com/OWNER/snapfarm >snapfarm.rb
# Put the file into a tap, then: brew install OWNER/tap/snapfarm
class Snapfarm < Formula
  desc "Runs snapshot and unit tests on a farm of workers"
  homepage "https://github.com/OWNER/snapfarm"
  version "0.1.0"
  license "Apache-2.0"

  # The archives hold a built program: nobody compiles.
  on_arm do
    url "https://github.com/OWNER/snapfarm/releases/download/v0.1.0/snapfarm-0.1.0-macos-arm64.tar.gz"
    sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  end
  on_intel do
    url "https://github.com/OWNER/snapfarm/releases/download/v0.1.0/snapfarm-0.1.0-macos-x86_64.tar.gz"
    sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  end

  depends_on macos: :sequoia

  def install
    bin.install "bin/snapfarm"
    man1.install "share/man/man1/snapfarm.1.gz"
    bash_completion.install "share/bash-completion/completions/snapfarm"
    zsh_completion.install "share/zsh/site-functions/_snapfarm"
    fish_completion.install "share/fish/vendor_completions.d/snapfarm.fish"
    pkgshare.install "share/snapfarm/launchers"
    doc.install Dir["share/doc/snapfarm/*"]
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/snapfarm --version").strip
    assert_match "webdriver", shell_output("#{bin}/snapfarm schema")
  end
end
