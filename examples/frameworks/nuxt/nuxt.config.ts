export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  app: {
    head: { title: 'Harbour', htmlAttrs: { lang: 'en' }, link: [{ rel: 'icon', href: 'data:,' }] },
  },
});
