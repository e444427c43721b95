import { fillRoute } from 'sallyport/session';
import { expect, test } from 'vitest';

test.each<[string, Record<string, unknown>, string]>([
  ['/', {}, '/'],
  ['/account', {}, '/account'],
  ['/account/[id]', { id: '42' }, '/account/42'],
  ['/account/[id=integer]/edit', { id: '42' }, '/account/42/edit'],
  ['/[...rest]', { rest: 'account/keys' }, '/account/keys'],
  ['/[...rest]', {}, '/'],
  ['/[...path=any]/edit', { path: 'a/b' }, '/a/b/edit'],
  ['/[[lang]]/account', {}, '/account'],
  ['/[[lang]]/account', { lang: 'de' }, '/de/account'],
  ['/[[lang=locale]]', { lang: undefined }, '/'],
  ['/(app)/account', {}, '/account'],
  ['/(app)', {}, '/'],
  ['/(app)/(inner)/[id]', { id: '1' }, '/1'],
  ['/blog/[slug]-[page]', { slug: 'a', page: '2' }, '/blog/a-2'],
  ['/[x+2e]well-known/a', {}, '/.well-known/a'],
  ['/[u+1f600]', {}, '/%F0%9F%98%80'],
  ['/[u+d83d-de00]', {}, '/%F0%9F%98%80'],
  ['/a[x+2f]b', {}, '/a%2Fb'],
  ['/über/[id]', { id: 7 }, '/%C3%BCber/7'],
  ['//[...rest]/x', { rest: 'a/' }, '/a/x'],
  // Parameters are decoded.
  ['/sale/[name]', { name: '100%' }, '/sale/100%25'],
  ['/sale/[name]', { name: 'a b?c#d' }, '/sale/a%20b%3Fc%23d'],
  ['/sale/[name]', { name: 'über@$&+,;=:' }, '/sale/%C3%BCber@$&+,;=:'],
  ['/sale/[...names]', { names: 'a b/c' }, '/sale/a%20b/c'],
])('fillRoute turns the route %s with the parameters %o into the path %s', (pattern, params, path) => {
  expect(fillRoute(pattern, params)).toBe(path);
});

test.each([[null], [undefined]])('fillRoute returns undefined if the route is %s', (pattern) => {
  expect(fillRoute(pattern, { id: '1' })).toBeUndefined();
});
