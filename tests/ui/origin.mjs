// A page of another origin before a server without API keys: it can neither write nor read. Run by test_origin.py.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { address, launch } from "./page.mjs";

const EVENT = JSON.parse(process.env.EVENT);
const { port } = new URL(address);
const evil = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<h1>evil</h1>"));
let browser, page, site;

before(async () => {
  await new Promise((done) => evil.listen(0, "127.0.0.1", done));
  // Names of the attacker's lead to this machine: the one for the page, the other after rebinding.
  browser = await launch("--host-resolver-rules=MAP *.evil.test 127.0.0.1");
  page = await browser.newPage();
  site = `http://www.evil.test:${evil.address().port}`;
});
after(async () => {
  await browser.close();
  evil.close();
});

/** The names of the server's datasets, asked as any program of this machine may. */
async function datasets() {
  const answer = await fetch(`${address}/api/v1/datasets`);
  return (await answer.json()).datasets.map((one) => one.name);
}

/** An event about a dataset of this name. */
const about = (name) => JSON.stringify({ ...EVENT, outputs: EVENT.outputs.map((one) => ({ ...one, name })) });

/** Each way in which a script can send something: whether the script was told that it came through. */
async function writes(to, name) {
  return page.evaluate(async ([url, body]) => {
    const told = {};
    const kinds = ["text/plain", "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x"];
    for (const mode of ["no-cors", "cors"]) {
      for (const kind of kinds) {
        for (const credentials of ["omit", "include"]) {
          const sent = fetch(url, { method: "POST", mode, credentials, body, headers: { "Content-Type": kind } });
          told[`${mode} ${kind} ${credentials}`] = await sent.then((answer) => answer.ok, () => false);
        }
      }
    }
    navigator.sendBeacon(url, body);
    navigator.sendBeacon(url, new Blob([body], { type: "application/json" }));
    const frame = document.createElement("iframe");
    frame.name = "sink";
    const form = Object.assign(document.createElement("form"), { action: url, method: "POST", enctype: "text/plain", target: "sink" });
    // As text/plain a form sends name=value: JSON, if the "=" stands inside a string.
    const [head, tail] = [body.slice(0, -1), `,"x":"`];
    form.append(Object.assign(document.createElement("input"), { name: `${head}${tail}`, value: `"}` }));
    document.body.append(frame, form);
    const loaded = new Promise((done) => frame.addEventListener("load", done));
    form.submit();
    await loaded;
    return Object.keys(told).filter((way) => told[way]);
  }, [to, about(name)]);
}

/** What of the server's answers a script of the page gets to see. */
async function reads(from) {
  return page.evaluate(async (base) => {
    const seen = [];
    for (const route of ["/health", "/api/v1/datasets", "/api/v1/openapi.json", "/"]) {
      for (const mode of ["cors", "no-cors", "same-origin"]) {
        const text = await fetch(base + route, { mode }).then((answer) => answer.ok ? answer.text() : "", () => "");
        if (text) seen.push(`${mode} ${route}`);
      }
      const script = Object.assign(document.createElement("script"), { src: base + route });
      const ran = new Promise((done) => { script.onload = () => done(true); script.onerror = () => done(false); });
      document.head.append(script);
      if (await ran) seen.push(`script ${route}`);
    }
    const frame = Object.assign(document.createElement("iframe"), { src: `${base}/api/v1/datasets` });
    const loaded = new Promise((done) => frame.addEventListener("load", done));
    document.body.append(frame);
    await loaded;
    let text = "";
    try { text = frame.contentDocument?.body?.innerText ?? ""; } catch { /* another origin's */ }
    if (text.includes("mart")) seen.push("iframe");
    return seen;
  }, from);
}

test("the server has something to read", async () => {
  assert.ok((await datasets()).includes("mart"));
});

for (const host of ["127.0.0.1", "localhost", "rebound.evil.test"]) {
  test(`a page of another site neither writes nor reads by http://${host}`, async () => {
    await page.goto(site);
    assert.deepEqual(await reads(`http://${host}:${port}`), []);
    assert.deepEqual(await writes(`http://${host}:${port}/api/v1/lineage`, "planted"), []);
    assert.equal((await datasets()).includes("planted"), false);
  });
}

test("nor does a page of another port of this machine", async () => {
  await page.goto(`http://127.0.0.1:${evil.address().port}`);
  assert.deepEqual(await reads(address), []);
  assert.deepEqual(await writes(`${address}/api/v1/lineage`, "planted"), []);
  assert.equal((await datasets()).includes("planted"), false);
});

test("nor a page whose own name leads to the server since (DNS rebinding)", async () => {
  const rebound = `http://rebound.evil.test:${port}`;
  await page.route(`${rebound}/attack`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>evil</h1>" }));
  await page.goto(`${rebound}/attack`);
  assert.deepEqual(await reads(rebound), []);
  assert.deepEqual(await writes(`${rebound}/api/v1/lineage`, "planted"), []);
  assert.equal((await datasets()).includes("planted"), false);
});

test("the server's own page reads, and could write", async () => {
  await page.goto(`${address}/health`);
  const status = await page.evaluate(async (body) => {
    const answer = await fetch("/api/v1/lineage", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    return [answer.status, (await fetch("/api/v1/datasets")).status];
  }, about("own"));
  assert.deepEqual(status, [201, 200]);
  assert.ok((await datasets()).includes("own"));
});
