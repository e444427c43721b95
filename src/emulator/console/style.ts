import { colors } from '../http/style.js';

/** Style of the console. */
export const consoleStyle = `${colors}
*, *::before, *::after { box-sizing: border-box; }
html { overflow-anchor: none; background: var(--ground); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100svh; color: var(--ink); font: .9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: .06em; }
a:hover { color: var(--accent-strong); text-decoration-thickness: .12em; }
:focus-visible { outline: .1875rem solid var(--accent); outline-offset: .125rem; border-radius: .125rem; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: .5rem; top: .5rem; padding: .5rem .75rem; background: var(--panel); z-index: 1; }
.frame { display: grid; grid-template: auto 1fr / minmax(0, 1fr); min-height: 100svh; }
header { padding: .875rem 1rem .5rem; border-bottom: 1px solid var(--rule); background: var(--stone-inner); }
.brand { display: flex; align-items: center; gap: .625rem; font-weight: 650; color: var(--ink); text-decoration: none; }
.brand .mark { width: 1.375rem; height: 1.375rem; fill: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: .125rem .25rem; margin: .625rem -.5rem 0; padding: 0; list-style: none; }
nav a { display: block; padding: .375rem .625rem; border-radius: .375rem; color: var(--ink); text-decoration: none; }
nav a:hover { background: var(--stone); color: var(--ink); }
nav a[aria-current] { background: var(--accent); color: var(--accent-ink); font-weight: 600; }
main { padding: 1.5rem 1rem 3rem; min-width: 0; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .625rem; font-size: 1rem; line-height: 1.4; font-weight: 650; }
h3 { margin: 1.25rem 0 -.375rem; font-size: .9375rem; font-weight: 600; }
p { margin: .75rem 0 0; max-width: 46rem; }
p, h2, h3, summary, option { overflow-wrap: anywhere; }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; }
.live:not([hidden]) { display: flex; align-items: center; gap: .625rem; margin: 0; color: var(--quiet); font-size: .875rem; }
.live [role=status]::before { content: ""; display: inline-block; width: .5625rem; height: .5625rem; margin-right: .4375rem; border-radius: 50%; background: var(--accent); }
.live:not([data-state=Live]) [role=status]::before { background: none; box-shadow: inset 0 0 0 .125rem var(--edge); }
.hint { color: var(--quiet); font-size: .875rem; }
.lead { margin-top: .375rem; color: var(--quiet); }
.none { color: var(--quiet); }
.scroll { overflow-x: auto; margin-top: 1rem; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem .875rem; text-align: left; vertical-align: baseline; border-top: 1px solid var(--rule); }
thead th { border-top: 0; color: var(--quiet); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
td { overflow-wrap: anywhere; }
td:not([class]) { min-width: 9rem; }
tbody tr:hover { background: var(--wash); }
.tight { white-space: nowrap; overflow-wrap: normal; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0; margin: 1rem 0 0; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; }
dl > div { padding: .5rem .875rem; border-top: 1px solid var(--rule); }
dl > div:first-child { border-top: 0; }
dt { color: var(--quiet); font-size: .8125rem; font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { background: var(--wash); padding: .1em .3em; border-radius: .25rem; }
pre { margin: 1rem 0 0; padding: .875rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; }
pre code { background: none; padding: 0; }
.status { display: inline-block; min-width: 2.75rem; padding: 0 .4em; border-radius: .25rem; background: var(--wash); font-variant-numeric: tabular-nums; text-align: center; }
.bad { background: var(--alert-wash); color: var(--alert); font-weight: 600; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .75rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.counts a { display: block; padding: .75rem .875rem; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; color: var(--ink); text-decoration: none; }
.counts a:hover { border-color: var(--accent); background: var(--wash); }
.counts strong { display: block; font-size: 1.375rem; line-height: 1.25; font-weight: 650; font-variant-numeric: tabular-nums; }
.counts span { color: var(--quiet); }
form.filter, form.action { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem; margin: 1rem 0 0; }
form > div { min-width: 0; max-width: 100%; }
label { display: block; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
select, input:not([type=hidden]) { display: block; min-width: 0; min-height: 2.5rem; margin-top: .25rem; padding: .375rem .625rem; font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--edge); border-radius: .375rem; max-width: 100%; }
button { min-height: 2.5rem; padding: .375rem .875rem; font: inherit; font-weight: 600; color: var(--accent-ink); background: var(--accent); border: 1px solid transparent; border-radius: .375rem; cursor: pointer; }
button:hover { background: var(--accent-strong); }
button.second, .live button, .listing button { color: var(--ink); background: var(--panel); border-color: var(--edge); }
button.second:hover, .live button:hover, .listing button:hover { background: var(--wash); }
.live button, .listing button { min-height: 1.875rem; padding: .125rem .625rem; font-size: .8125rem; }
.listing { position: relative; margin-top: 1rem; }
.listing pre { margin: 0; }
.listing button { position: absolute; top: -2.1875rem; right: 0; }
td .listing button { position: static; margin-top: .375rem; }
td pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.letters { margin: 1rem 0 0; padding: 0; list-style: none; max-width: 46rem; }
.letters li { margin-top: .75rem; padding: .875rem 1rem 1rem; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; overflow-wrap: anywhere; }
/* Show either the empty state of the inbox or the button that empties it. */
.letters:not(:empty) ~ .none, .letters:empty ~ form { display: none; }
.letters h2 { margin: 0; }
.letters .hint { margin: .125rem 0 0; color: var(--quiet); font-size: .875rem; }
td form.action { margin: 0; }
td button { min-height: 1.875rem; padding: .125rem .625rem; color: var(--ink); background: var(--panel); border-color: var(--edge); }
td button:hover { background: var(--stone); }
details { margin-top: .75rem; }
td details { margin-top: .375rem; }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; }
.more { margin-top: 1rem; }
@media (max-width: 39.99rem) {
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: .5rem .875rem .625rem; border-top: 1px solid var(--rule); }
  tr:first-child { border-top: 0; }
  td, td[class], td:not([class]) { position: relative; min-width: 0; min-height: 1.875rem; padding: .1875rem 0 .1875rem 7.25rem; border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  td::before { content: attr(data-label); position: absolute; left: 0; width: 6.75rem; color: var(--quiet); font-size: .8125rem; font-weight: 600; line-height: 1.875; }
  form.filter { display: grid; grid-template-columns: 1fr 1fr; }
  form.filter :is(input, select) { width: 100%; }
  form.filter button { grid-column: 1 / -1; }
}
@media (max-width: 74.99rem) {
  .tight { white-space: normal; }
}
@media (min-width: 40rem) {
  dl > div { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 1rem; }
  dt { font-size: inherit; }
}
@media (min-width: 60rem) {
  .frame { grid-template: 1fr / 13rem minmax(0, 1fr); }
  .counts { grid-template-columns: repeat(5, 1fr); }
  header { padding: 1.5rem 1rem; border-bottom: 0; border-right: 1px solid var(--rule); }
  nav { position: sticky; top: 1.5rem; }
  nav ul { flex-direction: column; margin: 1.5rem -.25rem 0; }
  main { padding: 2rem 2.5rem 4rem; max-width: 82rem; }
}
@media (forced-colors: active) {
  .status, button, nav a[aria-current] { border: 1px solid; }
  .brand .mark { fill: CanvasText; }
}
`;
