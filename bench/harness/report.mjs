import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { results } from './subject.mjs';
import { median, quick } from './turns.mjs';

/**
 * Record the results of a script.
 *
 * - `figures`: numbers by name, which `figures.mjs` compares with their targets.
 * - `tables`: `{ title, columns: [[title, digits], ...], rows: [[name, number, ...], ...] }`.
 */
export function report(name, { figures = {}, tables = [] }) {
  const result = {
    name,
    node: process.version,
    cores: cpus().length,
    runs: 1,
    load: [loadavg()[0]],
    quick,
    figures,
    tables,
  };
  mkdirSync(results, { recursive: true });
  save(result, process.env.BENCH_RESULT ?? join(results, `${name}.json`));
  for (const table of tables) process.stdout.write(`${asText(table)}\n`);
}

/** Save a result as JSON. */
export const save = (result, file) => writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);

/** Merge several runs of one script: the median of every number. */
export function merged(runs) {
  const [first] = runs;
  const figures = {};
  for (const key of Object.keys(first.figures)) figures[key] = median(runs.map((run) => run.figures[key]));
  const tables = first.tables.map((table, t) => ({
    ...table,
    rows: table.rows.map((row, r) =>
      row.map((cell, c) => (typeof cell === 'number' ? median(runs.map((run) => run.tables[t].rows[r][c])) : cell)),
    ),
  }));
  return { ...first, runs: runs.length, load: runs.map((run) => run.load[0]), figures, tables };
}

const cellsOf = ({ columns, rows }) =>
  rows.map((row) =>
    row.map((cell, at) => {
      if (typeof cell !== 'number') return cell ?? '';
      return Number.isFinite(cell) ? grouped(cell.toFixed(columns[at - 1][1])) : '';
    }),
  );

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

/** Format a table for a terminal. */
export function asText(table) {
  const lines = [['', ...table.columns.map(([title]) => title)], ...cellsOf(table)];
  const widths = lines[0].map((_, at) => Math.max(...lines.map((line) => line[at].length)));
  const text = lines.map((line) =>
    line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
  );
  return `\n${table.title}\n${text.join('\n')}`;
}

/** Format a table as Markdown. */
export function asMarkdown(table) {
  const head = ['', ...table.columns.map(([title]) => title)];
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'));
  return [head, rule, ...cellsOf(table)].map((line) => `| ${line.join(' | ')} |`).join('\n');
}
