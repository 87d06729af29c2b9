// The service without the paces of ATSs: what a pass costs here would else not show beside the waits that vendors ask for.
import 'reflect-metadata';
import { Application } from '../../dist/start/application.js';
import { AtsCallOptions } from '../../dist/integrations/ats/calls/connection-api.js';
import { loadConfig } from '../../dist/base/config/load-config.js';

const config = loadConfig(process.env);
const app = await Application.create(config, config.databaseUrl);
app.nest.get(AtsCallOptions, { strict: false }).paceFactor = 100_000;
await app.listen(config.port);
app.startWork();
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
