// Puts the pictures of icons and the Japanese texts into a page. The pages are written in
// English; a browser whose language is Japanese shows `japanese[text]`. No clock, no network,
// no randomness: a page looks the same on every day.
"use strict";

const icons = {
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  card: "M3 6h18v12H3zM3 10h18M7 15h4",
  scan: "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 8h3v3H8zM13 13h3v3h-3z",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  send: "M6 18L18 6M9 6h9v9",
  get: "M18 6L6 18M15 18H6V9",
  plus: "M12 5v14M5 12h14",
  bell: "M6 17V11a6 6 0 0112 0v6l1 1H5zM10 21h4",
  search: "M11 4a7 7 0 110 14 7 7 0 010-14zM16 16l4 4",
  check: "M5 12.5l4.5 4.5L19 7.5",
  share: "M12 15V4M8 8l4-4 4 4M5 13v7h14v-7",
  cart: "M4 5h2l2 10h10l2-7H7M9 20h.01M17 20h.01",
  train: "M7 4h10v12H7zM7 11h10M9 20l-1-4M15 20l1-4M10 14h.01M14 14h.01",
  cup: "M5 8h12v7a4 4 0 01-4 4H9a4 4 0 01-4-4zM17 10h3v4h-3M9 5V3M13 5V3",
  work: "M4 8h16v11H4zM9 8V5h6v3M4 13h16",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 016 0v3",
  globe: "M12 4a8 8 0 110 16 8 8 0 010-16zM4 12h16M12 4c-5 5-5 11 0 16M12 4c5 5 5 11 0 16",
  moon: "M19 14a8 8 0 01-9-9 8 8 0 109 9z",
  help: "M12 4a8 8 0 110 16 8 8 0 010-16zM10 10a2 2 0 114 0c0 1.5-2 1.5-2 3M12 16h.01",
  erase: "M9 6h11v12H9l-6-6zM12 10l4 4M16 10l-4 4",
  torch: "M8 4h8v4l-2 3v9h-4v-9L8 8zM8 8h8",
};

const japanese = {
  // welcome
  "Money that feels light": "お金を、もっと軽やかに",
  "Pay in shops, split the bill and see where your money goes. All in one small wallet.":
    "お店での支払いも、割り勘も、家計の見直しも。小さなウォレットひとつで。",
  "Create a wallet": "ウォレットを作る",
  "I already have one": "すでに持っている方",
  // tabs
  "Home": "ホーム", "Cards": "カード", "Scan": "スキャン", "Activity": "履歴", "Settings": "設定",
  // home
  "Good morning, Hana": "ハナさん、おはよう",
  "Balance": "残高", "This month": "今月", "Points 1,240": "1,240 ポイント",
  "Send": "送る", "Request": "請求", "Pay": "払う", "Top up": "チャージ",
  "Recent": "最近の取引", "See all": "すべて見る",
  // people and places
  "Corner Market": "まちかどマーケット", "Groceries": "食料品",
  "Metro pass": "地下鉄定期券", "Transport": "交通",
  "Salary": "給与", "Sakura Works": "さくら製作所",
  "Kissa Mori": "喫茶もり", "Café": "カフェ",
  "Ken Ito": "伊藤 健", "Dinner, split by two": "夕食の割り勘",
  "Book Harbour": "ブックハーバー", "Books": "書籍",
  "Refund": "返金", "Blue Shoes": "ブルーシューズ",
  // empty
  "Welcome to your wallet": "ウォレットへようこそ",
  "Nothing here yet": "まだ取引がありません",
  "Add money once and your payments will show up in this place.":
    "チャージすると、支払いがここに表示されます。",
  "Add money": "チャージする",
  // card
  "Card": "カード", "Everyday card": "ふだん使いカード", "Valid thru": "有効期限",
  "Freeze card": "カードを一時停止", "Stops every payment at once": "すべての支払いをすぐに止めます",
  "Online payments": "オンライン決済", "Allowed up to ¥50,000": "5万円まで利用可",
  "Spent this month": "今月のご利用", "¥62,000 of ¥100,000": "10万円中 62,000円",
  "Contactless": "タッチ決済", "On": "オン", "PIN": "暗証番号", "Change": "変更",
  // send
  "Send money": "送金", "Available ¥128,450": "利用可能 ¥128,450", "Change recipient": "相手を変更",
  "Review": "確認へ進む", "Wallet ID @ken.ito": "ウォレットID @ken.ito",
  // scan
  "Point at a code": "コードを枠に合わせる",
  "Hold the phone still. The payment opens by itself.":
    "スマートフォンを動かさずにお待ちください。支払い画面が開きます。",
  "My code": "マイコード",
  // receipt
  "Payment sent": "送金が完了しました", "To": "送金先", "Date": "日付", "Fee": "手数料",
  "Free": "無料", "Reference": "受付番号", "Note": "メモ", "Dinner": "夕食", "Method": "方法",
  "Share receipt": "レシートを共有", "Done": "完了", "November 20": "11月20日",
  "Wallet balance": "ウォレット残高",
  // activity
  "Search payments": "取引を検索", "All": "すべて", "Money in": "入金", "Money out": "出金",
  "Today": "今日", "Yesterday": "昨日", "November 18": "11月18日",
  // transaction
  "Payment": "お支払い", "2-8 Hill Street": "坂町 2-8", "Category": "カテゴリ", "Status": "状態",
  "Completed": "完了", "Points earned": "獲得ポイント", "November 20, 18:24": "11月20日 18:24",
  "Something wrong with this payment?": "この取引に問題がありますか？",
  "Paid with": "支払い方法",
  // settings
  "Hana Mori": "森 ハナ", "Account": "アカウント", "Sign-in and security": "ログインとセキュリティ",
  "Passcode and face": "パスコードと顔認証", "Notifications": "通知",
  "Payments and offers": "支払いとお知らせ", "Language": "言語", "English": "日本語",
  "Appearance": "外観", "As the phone": "端末に合わせる", "Help": "ヘルプ",
  "Answers and chat": "よくある質問とチャット", "App": "アプリ",
};

function picture(path) {
  return `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor"
    stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
}

// Looks like a code and holds no payload: three finders and a fixed pattern between them.
function code(size) {
  let squares = "";
  let state = 0x2f6e2b1;
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      const corner = (x < 8 || x > size - 9) && y < 8 || x < 8 && y > size - 9;
      if (!corner && state & 0x10000) squares += `M${x} ${y}h1v1h-1z`;
    }
  }
  for (const [x, y] of [[0, 0], [size - 7, 0], [0, size - 7]]) {
    squares += `M${x} ${y}h7v7h-7zM${x + 1} ${y + 1}v5h5v-5zM${x + 2} ${y + 2}h3v3h-3z`;
  }
  return `<svg viewBox="-2 -2 ${size + 4} ${size + 4}" shape-rendering="crispEdges">
    <rect x="-2" y="-2" width="${size + 4}" height="${size + 4}" fill="#fff"/>
    <path d="${squares}" fill="#15172b"/></svg>`;
}

function tabs(current) {
  const names = [["home", "Home"], ["card", "Cards"], ["scan", "Scan"], ["list", "Activity"],
    ["gear", "Settings"]];
  return names.map(([icon, name]) =>
    `<a class="${name === current ? "on" : ""}"><i data-icon="${icon}"></i>
      <span data-t>${name}</span></a>`).join("");
}

for (const bar of document.querySelectorAll("[data-tabs]")) {
  bar.innerHTML = tabs(bar.dataset.tabs);
}
for (const place of document.querySelectorAll("[data-icon]")) {
  place.innerHTML = picture(icons[place.dataset.icon]);
}
for (const place of document.querySelectorAll("[data-code]")) {
  place.innerHTML = code(25);
}
const isJapanese = navigator.language.startsWith("ja");
document.documentElement.lang = isJapanese ? "ja" : "en";
if (isJapanese) {
  for (const place of document.querySelectorAll("[data-t]")) {
    const text = place.textContent.trim();
    place.textContent = japanese[text] ?? `[${text}]`;
  }
}
document.documentElement.dataset.ready = "yes";
