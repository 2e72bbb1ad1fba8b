// DuckDB with its client for Node.js: loads events from standard input (a line of CSV for each), computes all profiles by one
// strategy after another, and measures the last time. It prints a line of JSON, and then a line for each score.
//
// TABLETOP_DUCKDB is the folder of npm packages. The arguments are a folder for the database, and the SQL as JSON.

const { createRequire } = require("node:module");
const { DuckDBInstance } = createRequire(`${process.env.TABLETOP_DUCKDB}/`)("@duckdb/node-api");

async function main(folder, sql) {
  // All cores, which is the default.
  const instance = await DuckDBInstance.create(`${folder}/profiles.duckdb`);
  const connection = await instance.connect();
  await connection.run(sql.arrived);
  await connection.run("COPY arrived FROM '/dev/stdin' (FORMAT csv, DELIM ',', HEADER false, AUTO_DETECT false)");
  await connection.run(sql.tables);
  await connection.run("CHECKPOINT");
  let seconds = 0;
  for (const strategy of sql.strategies) {
    await connection.run(strategy);
    const start = performance.now();
    await connection.run(sql.job);
    seconds = (performance.now() - start) / 1000;
  }
  const memory = process.resourceUsage().maxRSS / 1024;
  const lines = (await connection.runAndReadAll(sql.lines)).getColumns()[0] ?? [];
  process.stdout.write(`${JSON.stringify({ seconds, memory })}\n${lines.join("\n")}\n`);
}

main(process.argv[2], JSON.parse(process.argv[3])).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
