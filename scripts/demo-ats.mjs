// `npm run demo:ats`: simulators of Lever, Greenhouse, Ashby and Zoho Recruit beside the service, with records to play with. The
// service is started with the settings that it needs, unless one runs already. DEMO_ATS_PORTS=4701,4702,4703,4704 are their ports.
import { demandPorts, isReady, startService } from './demo-service.mjs';
import { helpOf, prepare } from './prepare.mjs';
import { simulators } from '../test/support/simulators.mjs';

helpOf();
await prepare();
const { startLever, startGreenhouse, startAshby, startZohoRecruit } = await simulators();

const SERVICE = process.env.BASE_URL ?? `http://localhost:${process.env.PORT ?? 3000}`;
const ports = (process.env.DEMO_ATS_PORTS ?? '4701,4702,4703,4704').split(',').map(Number);
await demandPorts(ports, 'DEMO_ATS_PORTS');
const PORTS = { lever: ports[0], greenhouse: ports[1], ashby: ports[2], zoho_recruit: ports[3] };
const callback = (provider) => `${SERVICE}/api/integrations/${provider}/callback`;
const start = (provider) => `${SERVICE}/api/integrations/${provider}/start`;
const options = (provider) => ({
  port: PORTS[provider],
  timeFactor: 10,
  startUrl: start(provider),
  client: { redirects: [callback(provider)] },
});

const lever = await startLever(options('lever'));
const greenhouse = await startGreenhouse(options('greenhouse'));
const ashby = await startAshby({ port: PORTS.ashby, timeFactor: 10 });
const zoho = await startZohoRecruit(options('zoho_recruit'));

const posting = lever.add.posting({ text: 'Senior Backend Engineer' });
const opportunity = lever.add.opportunity({ name: 'Tomas Lindqvist', posting: posting.id });
lever.add.opportunity({ name: 'Ana de la Cruz', emails: ['ana@example.com'], posting: posting.id });
const job = greenhouse.add.job({ name: 'Data Analyst' });
greenhouse.add.candidate({ first_name: 'Priya', last_name: 'Venkataraman', job: job.id });
const cook = ashby.add.job({ title: 'Cook' });
ashby.add.candidate({ name: 'Amara Okonkwo', job: cook.id });
const baker = zoho.add.job({ Posting_Title: 'Baker' });
zoho.add.candidate({ first: 'Zoë', last: 'Müller', job: baker.id });

const SETTINGS = {
  ATS_SIMULATORS: Object.entries(PORTS)
    .map(([provider, port]) => `${provider}=http://127.0.0.1:${port}`)
    .join(','),
  ATS_OAUTH_CLIENTS: [
    'lever:lev_client:lev_client_secret',
    'greenhouse:gh_client:gh_client_secret',
    'zoho_recruit:zoho_client:zoho_client_secret',
  ].join(','),
  ALLOW_PRIVATE_DESTINATIONS: 'true',
};

const line = Object.entries(SETTINGS)
  .map(([name, value]) => `${name}='${value}'`)
  .join(' ');
let service = null;
if (await isReady(SERVICE)) {
  console.log(`A service runs at ${SERVICE}. It needs these settings:\n\n  ${line} npm start\n`);
} else {
  service = await startService(SERVICE, SETTINGS);
}

console.log(`
The simulators run until Ctrl-C.

  Lever       ${lever.origin}/settings       the customer's settings, with the Connect button
  Greenhouse  ${greenhouse.origin}/settings
  Ashby       ${ashby.origin}                API key: ${ashby.apiKey}
  Zoho        ${zoho.origin}/settings       Zoho Recruit, connected in the browser as Lever is

1. Connect Lever in the browser: open ${lever.origin}/settings and press Connect. You sign in as an admin; without an
   account use a connect link:      npx talent-bridge ats link --provider lever
2. Connect Ashby with its key:      npx talent-bridge ats connect --provider ashby --key ${ashby.apiKey}
   Connect Greenhouse with a client: npx talent-bridge ats connect --provider greenhouse --client_id gh_client --client_secret gh_client_secret
3. Look at what came in:            npx talent-bridge ats list
                                    npx talent-bridge candidate list
4. Change a candidate in Lever; Lever sends its webhook:

   curl -s ${lever.origin}/__sim/change -d '["${opportunity.id}", { "stage": "ai-interview" }]'

5. Schedule an interview: the link goes to the profile in Lever. The page that connected Lever asks as whom; without it:
                                    npx talent-bridge ats set <ats_…> --as-user <id of "npx talent-bridge ats users <ats_…>">

   npx talent-bridge interview schedule <cand_…> --starts-at 2030-01-01T10:00:00Z --ends-at 2030-01-01T11:00:00Z

   Open the meeting link, and put the scorecard, which goes to Lever as a note:

   npx talent-bridge interview scorecard <int_…> --put '{ "overall": 4, "recommendation": "yes", "summary": "Knows the field" }'

6. See the note in Lever:           curl -s ${lever.origin}/__sim/notes -d '["${opportunity.id}"]'
   All that went either way:        npx talent-bridge candidate history <cand_…>
   What was sent and asked:         curl -s ${lever.origin}/__sim/state

7. Let Lever fail three times, with 429:

   curl -s ${lever.origin}/__sim/fault -d '[{ "kind": "status", "status": 429, "retryAfter": 5, "times": 3 }]'
`);

const stop = async () => {
  service?.kill('SIGTERM');
  await Promise.all([lever.close(), greenhouse.close(), ashby.close(), zoho.close()]);
};
process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
service?.once('exit', () => void stop());
