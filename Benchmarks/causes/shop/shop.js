// Head and foot of every page, and the Japanese texts.
const icons = {
  search: "M10 3a7 7 0 1 0 4.2 12.6l5.1 5.1 1.4-1.4-5.1-5.1A7 7 0 0 0 10 3zm0 2a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
  cart: "M3 4h3l2 11h10l3-8H8M9 18a2 2 0 1 0 .1 0zm8 0a2 2 0 1 0 .1 0z",
  heart: "M12 20 4 12a5 5 0 0 1 8-6 5 5 0 0 1 8 6z",
};
const shown = ["search", "cart"];
const ja = {
  "Hearth & Home": "炉端商店", "Summer sale": "夏のセール", "Autumn sale": "秋のセール",
  "New": "新着", "Buy": "購入", "Mug": "マグ", "Kettle": "やかん", "Lamp": "ランプ", "Bowl": "鉢",
  "Everything for a quiet kitchen.": "静かな台所のために。", "All products": "すべての商品",
  "Add to cart": "カートに入れる", "Save for later": "後で見る", "Your cart": "カート", "Total": "合計",
  "To checkout": "レジへ進む", "Checkout": "お支払い", "Name": "名前", "Address": "住所",
  "Pay now": "支払う", "Your account": "アカウント", "Orders": "注文", "Log out": "ログアウト",
  "Profile": "プロフィール", "Shipped": "発送済み", "Delivered": "配達済み", "Track": "追跡",
  "Help": "ヘルプ", "We answer within a day.": "一日以内に返信します。", "Write to us": "お問い合わせ",
  "Returns are free for 30 days.": "三十日以内は返品無料。", "See all": "すべて見る",
  "A heavy kettle of cast iron, made by hand.": "手作りの重い鉄のやかん。", "Sale": "セール",
};
document.addEventListener("DOMContentLoaded", () => {
  const icon = (name) => `<svg viewBox="0 0 24 24"><path d="${icons[name]}"/></svg>`;
  document.body.insertAdjacentHTML("afterbegin",
    `<header><b data-t>Hearth & Home</b>${shown.map(icon).join("")}</header>`);
  document.body.insertAdjacentHTML("beforeend", "<footer>© Hearth</footer>");
  if (navigator.language.startsWith("ja")) {
    document.documentElement.lang = "ja";
    for (const part of document.querySelectorAll("[data-t]")) {
      part.textContent = ja[part.textContent] ?? part.textContent;
    }
  }
  document.documentElement.dataset.ready = "yes";
});
