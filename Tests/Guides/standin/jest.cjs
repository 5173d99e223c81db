// Stands in for `npx jest` where jest is not installed: the options, files, calls and exit codes that a
// job with file snapshots sees. The test files are JavaScript, with a part of jest's functions.
//
//   node jest.cjs jest --listTests
//   node jest.cjs jest --ci=false --reporters=default --reporters=FILE --runTestsByPath FILE…
const fs = require('fs');
const path = require('path');

const words = process.argv.slice(2);
if (words.shift() !== 'jest') throw new Error(`not jest: ${process.argv}`);
if (words.join() === '--listTests') {
  for (const file of fs.readdirSync('.', { recursive: true })) {
    if (file.endsWith('.test.js') && fs.statSync(file).isFile()) console.log(path.resolve(file));
  }
  process.exit();
}

const known = /^--(ci=false|runTestsByPath|reporters=.*)$/;
const wrong = words.find((word) => word.startsWith('-') && !known.test(word));
if (wrong || !words.includes('--ci=false')) throw new Error(`an option is wrong: ${words}`);
const reporters = words.flatMap((word) => word.match(/^--reporters=(\..*)/)?.[1] ?? [])
  .map((file) => new (require(path.resolve(file)))());
const resolver = require(path.resolve(require(path.resolve('jest.config.js')).snapshotResolver));
const check = resolver.testPathForConsistencyCheck;
if (resolver.resolveTestPath(resolver.resolveSnapshotPath(check, '.snap'), '.snap') !== check) {
  throw new Error('Custom snapshot resolver functions must transform paths consistently');
}

const tick = (text) => '`' + text.replace(/`|\\|\${/g, '\\$&') + '`';

function runFile(file) {
  const snapshots = resolver.resolveSnapshotPath(file, '.snap');
  const kept = {}, counts = {}, testResults = [];
  if (fs.existsSync(snapshots)) new Function('exports', fs.readFileSync(snapshots, 'utf8'))(kept);
  const titles = [];
  const run = (title, body) => {
    const fullName = [...titles, title].join(' ');
    const result = { fullName, title, status: 'passed', duration: 1, failureMessages: [] };
    testResults.push(result);
    globalThis.expect = (value) => ({
      toMatchSnapshot(hint) {
        const name = hint ? `${fullName}: ${hint}` : fullName;
        counts[name] = (counts[name] ?? 0) + 1;
        let text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value, null, 2);
        if (text.includes('\n')) text = `\n${text}\n`;
        const key = `${name} ${counts[name]}`;
        kept[key] ??= text;
        if (kept[key] !== text) throw new Error('expect(received).toMatchSnapshot()');
      },
      toBe(other) {
        if (value !== other) throw new Error(`expect(received).toBe(expected)\n\nExpected: ${other}`);
      },
    });
    try { body(); } catch (error) {
      Object.assign(result, { status: 'failed', failureMessages: [error.stack] });
    }
  };
  globalThis.test = run;
  globalThis.test.skip = (title) =>
    testResults.push({ fullName: title, title, status: 'pending', failureMessages: [] });
  globalThis.describe = (title, body) => { titles.push(title); body(); titles.pop(); };
  let broken = {};
  try { require(file); } catch (error) {
    broken = { testExecError: error, failureMessage: `  ● Test suite failed to run\n\n    ${error.stack}` };
  }
  if (Object.keys(kept).length > 0) {
    fs.mkdirSync(path.dirname(snapshots), { recursive: true });
    fs.writeFileSync(snapshots, '// Jest Snapshot v1, https://goo.gl/fbAQLP\n'
      + Object.keys(kept).sort().map((key) => `\nexports[${tick(key)}] = ${tick(kept[key])};\n`).join(''));
  }
  return { testResults, ...broken };
}

let status = 0;
for (const reporter of reporters) reporter.onRunStart();
for (const file of words.filter((word) => !word.startsWith('-')).map((file) => path.resolve(file))) {
  for (const reporter of reporters) reporter.onTestFileStart({ path: file });
  const result = runFile(file);
  if (result.testExecError || result.testResults.some((test) => test.status === 'failed')) status = 1;
  for (const reporter of reporters) reporter.onTestFileResult({ path: file }, result);
}
for (const reporter of reporters) reporter.onRunComplete();
process.exit(status);
