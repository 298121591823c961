// A whole login in Chromium: the page, the provider's form, and back to where it began. Run by test_oidc.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, address, eachWithAPage, eventually, here, open } from "./page.mjs";

eachWithAPage();

const dataset = { namespace: "n", name: "mart" };

async function loginAs(user) {
  await here.page.locator("a.login").first().click();
  await here.page.getByRole("button", { name: user }).click();
}

test("log in, read, log out", async () => {
  await open(dataset);
  await accessible();
  await loginAs("anna");
  await here.page.waitForURL(`${address}/?${new URLSearchParams(dataset)}`);
  await here.page.getByRole("heading", { name: "mart" }).waitFor();
  await here.page.getByText("anna@example.org").waitFor();
  await accessible();
  const cookies = await here.context.cookies();
  assert.deepEqual(cookies.map(({ name }) => name), ["__Host-colgraph_session"]);
  const [{ httpOnly, secure, sameSite, path }] = cookies;
  assert.deepEqual({ httpOnly, secure, sameSite, path }, { httpOnly: true, secure: true, sameSite: "Lax", path: "/" });
  assert.equal(await here.page.evaluate(() => document.cookie), "");
  await here.page.getByRole("button", { name: "Log out" }).click();
  await here.page.waitForSelector("text=Logged out of the provider");
  assert.deepEqual(await here.context.cookies(), []);
  await open(dataset);
  await here.page.locator("a.login").first().waitFor();
});

test("a page of another site can log nobody out", async () => {
  await open(dataset);
  await loginAs("anna");
  await here.page.getByText("anna@example.org").waitFor();
  const other = await here.context.newPage();
  await other.goto(process.env.PROVIDER);
  await other.evaluate((to) => {
    document.body.innerHTML = `<form method="post" action="${to}"></form>`;
    document.forms[0].submit();
  }, `${address}/auth/logout`);
  await other.waitForURL(`${address}/auth/logout`);
  await here.page.reload();
  await here.page.getByText("anna@example.org").waitFor();
  await eventually(async () => assert.equal((await here.context.cookies()).length, 1));
});

test("who has no role is told so", async () => {
  await open(dataset);
  await loginAs("dan");
  await here.page.waitForSelector("text=it has no role");
  assert.deepEqual((await here.context.cookies()).map(({ name }) => name).filter((name) => name.endsWith("session")), []);
});
