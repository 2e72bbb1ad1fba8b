// Calls every function of generated queries and prints their rows: node generated.mjs FOLDER

import { pathToFileURL } from 'node:url';

const folder = process.argv[2];
const queries = await import(pathToFileURL(`${folder}/queries.mjs`));

/** Returns bytes in the form of rows.txt. */
const text = (data) => {
  const one = (byte) => {
    const isPlain = byte >= 32 && byte <= 126 && byte !== 92;
    return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  };
  return [...Buffer.from(data)].map(one).join('');
};

const table = queries.openTable();
for (const name of Object.keys(queries).filter((name) => name !== 'openTable')) {
  console.log(name);
  for (const row of await queries[name](table)) {
    console.log(`  ${text(row.id)}`);
    for (const [family, columns] of Object.entries(row.data)) {
      for (const [qualifier, cells] of Object.entries(columns)) {
        for (const { timestamp, labels, value } of cells) {
          const marks = labels.map((label) => ` {${label}}`).join('');
          console.log(`    ${family}:${text(qualifier)}@${timestamp}${marks}=${text(value)}`);
        }
      }
    }
  }
}
await table.bigtable.close();
