/** Colors of all pages, for light and dark mode. */
export const colors = `
:root {
  color-scheme: light dark;
  --ground: #dfe5e1;
  --stone: #cbd4ce;
  --stone-inner: #edf1ee;
  --panel: #fcfdfc;
  --ink: #16211c;
  --quiet: #4f5f57;
  --edge: #788a80;
  --rule: #d5ddd8;
  --accent: #12594a;
  --accent-ink: #ffffff;
  --accent-strong: #0b4034;
  --wash: #e9f1ed;
  --alert: #9d2418;
  --alert-wash: #fbeeec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0c110f;
    --stone: #1f2925;
    --stone-inner: #121916;
    --panel: #161e1a;
    --ink: #e6ede9;
    --quiet: #a2b2aa;
    --edge: #6d7f76;
    --rule: #2c3833;
    --accent: #84d3b6;
    --accent-ink: #07231b;
    --accent-strong: #ace7d1;
    --wash: #1e2b26;
    --alert: #ff9f93;
    --alert-wash: #331a17;
  }
}
`;

/**
 * Style of the hosted pages. Text has a contrast of at least 4.5 to 1 with its background; the edges of fields and the focus ring
 * have 3 to 1.
 */
export const style = `${colors}
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--ground); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100svh;
  padding: 1rem .75rem;
  display: flex;
  flex-direction: column;
  align-items: center;
  justify-content: center;
  gap: 2rem;
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
main {
  width: 100%;
  max-width: 26.5rem;
  padding: 2.5rem 1.375rem 2rem;
  background: var(--panel);
  border-radius: 50% 50% .5rem .5rem / 3.5rem 3.5rem .5rem .5rem;
  box-shadow: 0 0 0 .25rem var(--stone-inner), 0 0 0 .5rem var(--stone);
}
@media (min-width: 40rem) {
  body { padding: 4rem 2rem 2rem; }
  main {
    padding: 3.25rem 3rem 2.75rem;
    border-radius: 50% 50% .5rem .5rem / 5.5rem 5.5rem .5rem .5rem;
    box-shadow: 0 0 0 .625rem var(--stone-inner), 0 0 0 1.375rem var(--stone);
  }
}
.mark { display: block; width: 2.5rem; height: 2.5rem; margin: 0 auto 1.125rem; fill: var(--accent); }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-align: center; text-wrap: balance; }
h2 { margin: 2rem 0 .75rem; font-size: 1rem; line-height: 1.4; font-weight: 650; }
p { margin: 1rem 0 0; }
.lead { margin-top: .375rem; color: var(--quiet); text-align: center; text-wrap: balance; }
.lead strong { color: var(--ink); font-weight: 600; }
/* For screen readers only. */
.unseen:not(:focus) {
  position: absolute !important;
  width: 1px !important;
  height: 1px !important;
  min-height: 0 !important;
  margin: -1px !important;
  padding: 0 !important;
  border: 0 !important;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.quiet { color: var(--quiet); font-size: .875rem; }
.aside { margin-top: 1.5rem; color: var(--quiet); font-size: .9375rem; text-align: center; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: .06em; }
a:hover { color: var(--accent-strong); text-decoration-thickness: .12em; }
form { margin: 1.5rem 0 0; }
form + form { margin-top: .625rem; }
form + form > button { margin-top: 0; }
.stack { margin-top: 1.5rem; display: grid; gap: .625rem; }
.stack > form { margin: 0; }
form > .stack { margin-top: 0; }
.pairs { grid-template-columns: 1fr 1fr; }
.pairs button { padding-inline: .5rem; }
.beside { margin-top: .5rem; font-size: .9375rem; text-align: right; }
div.aside form { display: inline; margin: 0; }
.tick { display: flex; align-items: baseline; gap: .5rem; margin-top: 1.125rem; font-weight: 400; }
.tick input { width: 1.0625rem; height: 1.0625rem; margin: 0; flex: none; accent-color: var(--accent); transform: translateY(.125rem); }
.field { margin-top: 1.125rem; }
.field:first-child { margin-top: 0; }
.row { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; flex-wrap: wrap; }
.row .field { flex: 1 1 8rem; margin-top: 0; }
.row + .field, .field + .row { margin-top: 1.125rem; }
label { display: block; padding: 0; font-weight: 600; font-size: .9375rem; }
label .quiet { font-weight: 400; }
input:not([type=hidden], [type=checkbox]) {
  display: block;
  width: 100%;
  min-height: 2.875rem;
  margin-top: .375rem;
  padding: .5rem .75rem;
  font: inherit;
  color: var(--ink);
  background: var(--panel);
  border: 1px solid var(--edge);
  border-radius: .375rem;
}
input[aria-invalid] { border-color: var(--alert); box-shadow: inset 0 0 0 1px var(--alert); }
input.code {
  font: 1.5rem/1.3 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  letter-spacing: .35em;
  text-align: center;
  padding-left: calc(.75rem + .35em);
}
.hint { margin: .125rem 0 0; color: var(--quiet); font-size: .875rem; }
.wrong { margin: .25rem 0 0; color: var(--alert); font-size: .9375rem; font-weight: 600; }
.known {
  display: flex;
  align-items: center;
  justify-content: space-between;
  gap: .75rem;
  margin-top: 1.5rem;
  padding: .5rem .75rem;
  background: var(--wash);
  border-radius: .375rem;
}
.known a { flex: none; }
.known + form { margin-top: 1.125rem; }
button {
  display: block;
  width: 100%;
  min-height: 2.875rem;
  margin-top: 1.375rem;
  padding: .625rem 1rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-wrap: balance;
  color: var(--accent-ink);
  background: var(--accent);
  border: 1px solid transparent;
  border-radius: .375rem;
  cursor: pointer;
}
button:hover { background: var(--accent-strong); color: var(--accent-ink); }
.second { color: var(--ink); background: transparent; border-color: var(--edge); }
.second:hover { color: var(--ink); background: var(--wash); border-color: var(--accent); }
.plain {
  display: inline;
  width: auto;
  min-height: 1.5rem;
  margin: 0;
  padding: 0;
  color: var(--accent);
  background: none;
  border: 0;
  font-weight: 400;
  text-decoration: underline;
  text-underline-offset: .2em;
  text-decoration-thickness: .06em;
}
.plain:hover { color: var(--accent-strong); background: none; text-decoration-thickness: .12em; }
.stack button { margin-top: 0; }
.choice { display: flex; flex-direction: column; text-align: left; text-wrap: wrap; padding: .625rem .875rem; line-height: 1.35; }
.choice small { font-weight: 400; font-size: .875rem; color: var(--quiet); }
.logo { width: 1.125rem; height: 1.125rem; margin-right: .5rem; vertical-align: -.1875rem; fill: currentColor; }
.or { display: flex; align-items: center; gap: .875rem; margin: 1.5rem 0 0; color: var(--quiet); font-size: .875rem; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--rule); }
.alert, .note {
  margin-top: 1.5rem;
  padding: .75rem 1rem;
  border-left: .25rem solid var(--alert);
  border-radius: 0 .375rem .375rem 0;
  background: var(--alert-wash);
}
.alert h2 { margin: 0; font-size: 1rem; color: var(--alert); }
.alert ul { margin: .25rem 0 0; padding: 0; list-style: none; }
.note { border-color: var(--accent); background: var(--wash); }
.alert > :first-child, .note > :first-child { margin-top: 0; }
details { margin-top: 1.5rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
summary { cursor: pointer; font-weight: 600; font-size: .9375rem; color: var(--accent); border-radius: .25rem; }
code { font: .9375em ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--wash); padding: .1em .3em; border-radius: .25rem; }
.secret { display: block; margin-top: .5rem; padding: .5rem .75rem; text-align: center; letter-spacing: .06em; user-select: all; }
.qr { display: block; width: 11.5rem; height: 11.5rem; margin: 1.25rem auto; background: #fff; border-radius: .375rem; image-rendering: pixelated; }
.items { margin: 1.5rem 0 0; padding: 0; list-style: none; }
.items li { padding: 1rem 0; border-top: 1px solid var(--rule); }
.items h2 { margin: 0; }
.items p { margin-top: .375rem; }
.items form, .items details { margin-top: 1rem; }
.items button { margin-top: 0; }
.items details { border-top: 0; padding-top: 0; }
footer { max-width: 26.5rem; color: var(--quiet); font-size: .8125rem; text-align: center; }
footer a { color: inherit; }
:focus-visible { outline: .1875rem solid var(--accent); outline-offset: .125rem; }
@media (forced-colors: active) {
  main, button { border: 1px solid; }
  .mark { fill: CanvasText; }
}
`;
