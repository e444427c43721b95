import { expect, test } from 'vitest';
import { type Html, html, raw } from '../../../src/emulator/http/html.js';

test('values are escaped in HTML text and attributes', () => {
  expect(html`<p title="${`"a" & 'b'`}">${'<script>'}</p>`.toString()).toBe(
    '<p title="&quot;a&quot; &amp; &#39;b&#39;">&lt;script&gt;</p>',
  );
});

test('nested HTML and lists are not escaped again, and undefined is not printed', () => {
  const items = ['<1>', '<2>'].map((text) => html`<li>${text}</li>`);

  expect(html`<ul>${items}</ul>${raw('<hr>')}${0}${undefined}`.toString()).toBe(
    '<ul><li>&lt;1&gt;</li><li>&lt;2&gt;</li></ul><hr>0',
  );
});

test('an HTML template is rendered only after all values are evaluated', () => {
  const seen: string[] = [];
  const summary: Html = { isEscaped: true, toString: () => html`<b>${seen.join()}</b>`.toString() };

  expect(html`${summary}${seen.push('field')}`.toString()).toBe('<b>field</b>1');
});
