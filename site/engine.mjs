// Make the files of the SQL page's engine, DuckDB-WASM, from its npm packages: `npm run engine`.
import { buildSync } from "esbuild";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MODULES = "node_modules";
const TARGET = `${MODULES}/.gpuledger/duckdb`; // emptied by `npm ci`, so it never outlives a change of the lock file
const DIST = `${MODULES}/@duckdb/duckdb-wasm/dist`;
const BUNDLED = ["@duckdb/duckdb-wasm", "apache-arrow", "flatbuffers", "tslib"];

const about = (name) => JSON.parse(readFileSync(`${MODULES}/${name}/package.json`, "utf8"));

function licenses(name) {
  const { version, license, homepage } = about(name);
  const files = readdirSync(`${MODULES}/${name}`).filter((file) => /^(LICENSE|NOTICE)/.test(file)).sort();
  return [`${name} ${version}: ${license}, ${homepage ?? ""}\n`, ...files.map((file) => readFileSync(`${MODULES}/${name}/${file}`, "utf8"))];
}

mkdirSync(TARGET, { recursive: true });
buildSync({
  entryPoints: [`${DIST}/duckdb-browser.mjs`], outfile: `${TARGET}/duckdb.js`,
  bundle: true, minify: true, format: "iife", globalName: "duckdb",
});
copyFileSync(`${DIST}/duckdb-browser-eh.worker.js`, `${TARGET}/duckdb.worker.js`);
// compressed here, because few hosts compress .wasm: a quarter of the bytes, and below the 25 MiB that some hosts accept
writeFileSync(`${TARGET}/duckdb.wasm.gz`, gzipSync(readFileSync(`${DIST}/duckdb-eh.wasm`), { level: 9 }));
writeFileSync(`${TARGET}/licences.txt`, BUNDLED.flatMap(licenses).join("\n"));
const bytes = ["duckdb.js", "duckdb.worker.js", "duckdb.wasm.gz"].reduce((sum, file) => sum + statSync(`${TARGET}/${file}`).size, 0);
writeFileSync(`${TARGET}/engine.json`, `${JSON.stringify({ version: about(BUNDLED[0]).version, bytes })}\n`); // last: it marks the others as complete
