import { inCase, isErrorOf, readsBack, statusIs, listHas } from '../forms/expect.rules.js';
import { valueAt, type JsonRecord, type DoctorFinding, finding } from '../forms/finding.js';
import { idFrom, type Check, person, userId } from '../peer/check.js';
import type { ScimService } from '../peer/scim-service.js';
import { missingAttributes } from './discovery.js';

/** Checks of errors, and of users as a whole. */
export const USER_CHECKS: readonly Check[] = [
  {
    name: 'errors',
    async run(service) {
      const unknown = `/Users/${service.name('unknown')}`;
      return {
        findings: [
          ...isErrorOf(await service.get(unknown), 404),
          ...isErrorOf(await service.patch(unknown, [{ op: 'replace', path: 'title', value: 'x' }]), 404),
          ...isErrorOf(await service.delete(unknown), 404),
          ...isErrorOf(
            await service.get(`/Users?filter=${encodeURIComponent('userName is "x"')}`),
            400,
            'invalidFilter',
          ),
          ...inCase('A body that is cut', isErrorOf(await service.send('POST', '/Users', '{"schemas":['), 400)),
          ...inCase(
            'An empty userName',
            isErrorOf(await service.createUser({ userName: '', displayName: service.name('nameless') }), 400),
          ),
        ],
      };
    },
  },
  {
    name: 'create_and_read',
    async run(service) {
      const sent = person(service, 'first');
      const made = await service.createUser(sent);
      const found = [...statusIs(made, 201), ...readsBack(made, sent)];
      const id = idFrom(made, found);
      const read = await service.get(`/Users/${encodeURIComponent(id)}`);
      found.push(...statusIs(read, 200), ...readsBack(read, sent));
      found.push(...missingAttributes(await service.get('/Schemas'), 'User', read.body));
      return { findings: [...found, ...(await duplicate(service))] };
    },
  },
  {
    name: 'replace',
    async run(service) {
      const path = `/Users/${encodeURIComponent(await userId(service, 'first'))}`;
      const before = (await service.get(path)).body as JsonRecord;
      // Okta sends everything that it has read, with its changes.
      const changed = {
        ...before,
        title: 'Director',
        name: { ...(valueAt(before, 'name') as object), familyName: 'Renamed' },
      };
      const put = await service.put(path, changed);
      const { meta: _, ...expected } = changed as JsonRecord;
      return {
        findings: [...statusIs(put, 200), ...readsBack(put, expected), ...readsBack(await service.get(path), expected)],
      };
    },
  },
];

/** A second user of the same name is refused, also in another case (RFC 7643 §4.1.1). */
export async function duplicate(service: ScimService, label = 'first'): Promise<DoctorFinding[]> {
  const { userName, ...rest } = person(service, label);
  const found = inCase(
    'A userName that exists',
    isErrorOf(await service.createUser({ userName, ...rest }), 409, 'uniqueness'),
  );
  const upper = String(userName).toUpperCase();
  const again = isErrorOf(await service.createUser({ ...rest, userName: upper }), 409, 'uniqueness');
  return [...found, ...inCase('A userName that exists in small letters', again)];
}

/** A removal that takes longer than that leaves a leaver in. */
const PROMPT_MS = 5_000;
const PAUSE_MS = 200;

/** Checks of what happens to users who leave. */
export const LEAVER_CHECKS: readonly Check[] = [
  {
    name: 'deactivation',
    async run(service) {
      const id = await userId(service, 'third');
      const began = Date.now();
      const found = await deactivate(service, id, 'third');
      const note = `inactive after ${Date.now() - began} ms`;
      const restored = await service.patch(`/Users/${encodeURIComponent(id)}`, [
        { op: 'Replace', path: 'active', value: 'True' },
      ]);
      found.push(
        ...statusIs(restored, 200, 204),
        ...readsBack(await service.get(`/Users/${encodeURIComponent(id)}`), { active: true }),
      );
      return { findings: found, note };
    },
  },
  {
    name: 'leaver',
    async run(service) {
      const id = await userId(service, 'third');
      const began = Date.now();
      const found = statusIs(await service.delete(`/Users/${encodeURIComponent(id)}`), 204);
      found.push(...(await gone(service, id, 'third')));
      const note = `gone after ${Date.now() - began} ms`;
      return {
        findings: [...found, ...isErrorOf(await service.delete(`/Users/${encodeURIComponent(id)}`), 404)],
        note,
      };
    },
  },
];

/** Deactivates a user: the user stays readable and findable, or Entra creates a second one. */
export async function deactivate(service: ScimService, id: string, label: string): Promise<DoctorFinding[]> {
  const found = statusIs(
    await service.patch(`/Users/${encodeURIComponent(id)}`, [{ op: 'Replace', path: 'active', value: 'False' }]),
    200,
    204,
  );
  const read = await service.get(`/Users/${encodeURIComponent(id)}`);
  if (read.status === 404)
    return [...found, finding('lost', 'active', `A deactivated user is answered ${read.status}.`)];
  found.push(...statusIs(read, 200), ...readsBack(read, { active: false }));
  return [
    ...found,
    ...listHas(await service.find('Users', 'userName', String(person(service, label)['userName'])), [id]),
  ];
}

/** Waits until a deleted user is gone, and measures the time. */
export async function gone(service: ScimService, id: string, label: string): Promise<DoctorFinding[]> {
  const began = Date.now();
  let answer = await service.get(`/Users/${encodeURIComponent(id)}`);
  while (answer.status !== 404 && Date.now() - began < PROMPT_MS) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    answer = await service.get(`/Users/${encodeURIComponent(id)}`);
  }
  if (answer.status !== 404)
    return [finding('still_there', 'status', `A deleted user is answered ${answer.status} after ${PROMPT_MS} ms.`)];
  const waited = Date.now() - began;
  const slow = waited > 1_000 ? [finding('slow_leaver', null, `A deleted user is gone after ${waited} ms.`)] : [];
  return [
    ...slow,
    ...isErrorOf(answer, 404),
    ...listHas(await service.find('Users', 'userName', String(person(service, label)['userName'])), []),
  ];
}
