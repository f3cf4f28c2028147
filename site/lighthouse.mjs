// Audits pages with Lighthouse in one browser, the program that CHROME_PATH names: reads an address per line, prints a JSON
// report per line. The first argument has Lighthouse's flags as JSON, the others are flags of the browser.
import { createInterface } from "node:readline";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const [flags, ...chromeFlags] = process.argv.slice(2);
const chrome = await launch({ chromeFlags });
try {
  for await (const address of createInterface({ input: process.stdin })) {
    const { lhr } = await lighthouse(address, { ...JSON.parse(flags), port: chrome.port });
    console.log(JSON.stringify(lhr));
  }
} finally {
  chrome.kill();
}
