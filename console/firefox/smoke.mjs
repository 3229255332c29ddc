// Smoke test of the console of the system at HELVE_SERVER, in Debian's Firefox: node smoke.mjs
//
// A call is granted with the keyboard and ends in success, every page fits a phone and a wide
// screen without a fault, and leaving a page reports no failure.
import assert from 'node:assert/strict';
import puppeteer from 'puppeteer-core';

const server = process.env.HELVE_SERVER;
assert(server, 'HELVE_SERVER is the address of a running helve up --diagnostics');

const browser = await puppeteer.launch({
  browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true,
  extraPrefsFirefox: { 'ui.prefersReducedMotion': 1, 'layout.css.prefers-color-scheme.content-override': 0 }, // dark
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const faults = [];
  page.on('pageerror', (err) => faults.push(`${page.url()}: ${err.message}`));
  page.on('console', (m) => { if (m.type() === 'error') faults.push(`${page.url()}: ${m.text()}`); });
  await page.evaluateOnNewDocument(watch);

  const { consent_id: consent, call_id: call } = await park();
  await grants(page, consent, call);
  await leaves(page, call);
  assert.deepEqual(faults, []);
  await page.evaluate(() => localStorage.setItem('helve.language', 'de')); // its words are longer
  for (const path of await paths(page, consent, call)) await fits(page, path);
  assert.deepEqual(faults, []);
  console.log(`the console works in ${await browser.version()}`);
} finally {
  await browser.close();
}

// watch runs in each page before its own scripts.
function watch() {
  document.addEventListener('securitypolicyviolation', (e) => console.error(`the policy forbids ${e.violatedDirective} ${e.blockedURI}`));
  new MutationObserver(() => {
    const failure = document.querySelector('.failure, .stale:not(:empty), .toast.bad');
    if (failure) console.error(`a failure is shown: ${failure.innerText}`);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

// park makes a call that waits for a person.
async function park() {
  const body = { context: { user: 'u1', conversation: 'c1' }, timeout_ms: 30_000, calls: [{ tool: 'debug.guarded', arguments: { key: 'firefox' } }] };
  const res = await fetch(`${server}/v1/execute`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const [parked] = (await res.json()).results;
  assert.equal(parked.state, 'awaiting_consent');
  return parked;
}

// visit loads a page, and waits until all of it is there.
async function visit(page, path) {
  await page.goto(server + path);
  await until(page, () => document.querySelector('h1') && !document.querySelector('main [aria-busy="true"]'));
}

// until waits by the clock: Firefox renders no frames of a window that nobody sees.
function until(page, condition, ...args) {
  return page.waitForFunction(condition, { polling: 25 }, ...args);
}

// grants says yes in the inbox with the keyboard only.
async function grants(page, consent, call) {
  await visit(page, '/');
  await until(page, (id) => document.querySelector(`[data-consent="${id}"] button[type=submit]`), consent);
  for (let presses = 0; ; presses++) {
    // The link of a row shows its focus around the row.
    const { on, outline } = await page.evaluate(() => ({ on: document.activeElement.innerText, outline: getComputedStyle(document.activeElement.classList.contains('row-link') ? document.activeElement.closest('.row') : document.activeElement).outlineStyle }));
    if (presses > 0) assert.equal(outline, 'solid', `the focus on ${on} is not seen`);
    if (on === 'Allow once') break;
    assert(presses < 60, 'no Tab leads to the answer');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await until(page, (id) => document.querySelector(`[data-consent="${id}"]`).innerText.includes('Granted by you'), consent);
  await visit(page, `/calls/${call}`);
  await until(page, () => document.querySelector('main').innerText.includes('Success'));
}

// leaves loads pages again and leaves them while their requests are under way.
async function leaves(page, call) {
  for (const path of ['/', `/calls/${call}`, '/fleet', '/overview', '/calls']) {
    await visit(page, path);
    await page.reload();
    await page.goto(`${server}/agents`);
  }
}

// paths returns all pages that the navigation has, and some that it has not.
async function paths(page, consent, call) {
  await visit(page, '/');
  const linked = await page.$$eval('nav a', (links) => links.map((a) => a.pathname));
  assert(linked.length > 10, `the navigation has only ${linked}`);
  return [...linked, `/consents/${consent}`, `/calls/${call}`, '/tools/debug.guarded', '/login'];
}

// fits looks at a page on a wide screen and on a phone.
async function fits(page, path) {
  await page.setViewport({ width: 1280, height: 900 });
  await visit(page, path);
  for (const width of [1280, 360]) {
    await page.setViewport({ width, height: 800 });
    const [wide, hidden] = await page.evaluate(() => {
      const [settings, notice] = [document.querySelector('.top > button:last-of-type'), document.querySelector('.notice')].map((e) => e?.getBoundingClientRect());
      return [document.documentElement.scrollWidth > innerWidth, settings && notice && settings.right > notice.left && settings.bottom > notice.top];
    });
    assert(!wide, `${path} is wider than ${width} pixels`);
    assert(!hidden, `the notice hides the settings of ${path} at ${width} pixels`);
  }
}
