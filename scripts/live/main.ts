// Checks the client against a deployment of the service, with its staging key:
//
//   SALLYPORT_API_KEY=sk_test_… SALLYPORT_CLIENT_ID=… SALLYPORT_BASE_URL=… npm run test:live
import { checkService } from './check-service.js';

const { compared, findings } = await checkService();
for (const finding of findings) console.error(finding);
console.log(`${compared.length} operations compared, ${findings.length} findings`);
if (findings.length > 0) process.exitCode = 1;
