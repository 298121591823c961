// The page over a store whose every text is an attack: nothing of it is run or becomes an element. Run by test_xss.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { address, drawn, eachWithAPage, here, open, shelf } from "./page.mjs";

const ATTACKS = JSON.parse(process.env.ATTACKS);

eachWithAPage(); // fails, too, on what the policy (CSP) had to stop, and on requests elsewhere

/** That nothing was run, and that no text became an element or a link that runs something. */
async function harmless() {
  const found = await here.page.evaluate(() => ({
    ran: globalThis.xss !== undefined,
    elements: [...document.querySelectorAll("img, iframe, object, embed, base, svg script, body script, [onerror], [onload], [onclick]")]
      .map((one) => one.outerHTML.slice(0, 200)),
    links: [...document.querySelectorAll("[href], [src], [action], [xlink\\:href]")]
      .flatMap((one) => ["href", "src", "action", "xlink:href"].map((name) => one.getAttribute(name) ?? ""))
      .filter((link) => /^\s*(javascript|data:text|vbscript)/i.test(link)),
  }));
  assert.deepEqual(found, { ran: false, elements: [], links: [] });
}

for (const [name, text] of Object.entries(ATTACKS)) {
  const at = { namespace: text, name: `${text}mart` };

  test(`${name}: search`, async () => {
    await here.page.goto(`${address}/?${new URLSearchParams({ q: text })}`);
    await here.page.waitForSelector(".results a");
    assert.ok((await here.page.locator("body").innerText()).includes(text.trim().slice(0, 20)));
    await harmless();
  });

  test(`${name}: a dataset`, async () => {
    await open(at);
    await here.page.waitForSelector("section:has(h2:has-text('Written by')) tbody tr");
    await harmless();
  });

  test(`${name}: lineage, and its operations`, async () => {
    await open({ ...at, field: text, indirect: "true" });
    await shelf("Table");
    await here.page.waitForSelector("table.edges tbody tr");
    await drawn(".link");
    await harmless();
    await here.page.locator(".box .row").first().click();
    await here.page.waitForSelector("aside h2");
    await here.page.waitForLoadState("networkidle");
    await harmless();
  });

  test(`${name}: an error that repeats it`, async () => {
    await open({ namespace: text, name: `${text}none`, field: text });
    await here.page.waitForLoadState("networkidle");
    await harmless();
  });
}
