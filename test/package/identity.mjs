// Copied next to the installed package and run there: creates errors with one copy of it and checks them with the others.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const load = async (entry) => ({ import: await import(entry), require: require(entry) });
const index = await load('sallyport');
const webhooks = await load('sallyport/webhooks');
const emulator = await load('sallyport/emulator');

const thrown = async (act) => {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
const formats = ['import', 'require'];
const report = {};
for (const maker of formats) {
  const configuration = await thrown(
    () => new index[maker].Sallyport({ apiKey: ' ', baseUrl: 'https://api.example.com' }),
  );
  const refusal = await thrown(() =>
    webhooks[maker].verifyWebhook({ payload: '{}', sigHeader: '', secret: 'whsec_test' }),
  );
  const dialect = await thrown(() => emulator[maker].createEmulator({ dialect: 'nonsense' }));
  for (const judge of formats) {
    const { ConfigurationError, InvalidArgumentError, SallyportError, WebhookVerificationError, isSallyportError } =
      index[judge];
    report[`configuration made by ${maker}, judged by ${judge}`] = [
      configuration instanceof SallyportError,
      configuration instanceof ConfigurationError,
      isSallyportError(configuration),
      !(configuration instanceof InvalidArgumentError),
      !(configuration instanceof WebhookVerificationError),
    ];
    report[`webhook made by ${maker}, judged by ${judge}`] = [
      refusal instanceof SallyportError,
      refusal instanceof WebhookVerificationError,
      refusal instanceof webhooks[judge].WebhookVerificationError,
      isSallyportError(refusal),
      !(refusal instanceof ConfigurationError),
    ];
    report[`emulator made by ${maker}, judged by ${judge}`] = [
      dialect instanceof SallyportError,
      dialect instanceof ConfigurationError,
      isSallyportError(dialect),
      !(dialect instanceof WebhookVerificationError),
    ];
    report[`a stranger judged by ${judge}`] = [
      !isSallyportError(new Error('stranger')),
      !(new Error('stranger') instanceof SallyportError),
      !isSallyportError({ name: 'SallyportError', code: 'missing_api_key' }),
      !isSallyportError(null),
    ];
  }
}
process.stdout.write(JSON.stringify(report));
