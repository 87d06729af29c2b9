import { valueAt, type JsonRecord } from '../forms/answer.js';
import { inCase, isErrorOf, readsBack, statusIs } from '../forms/expect.rules.js';
import type { DoctorFinding } from '../forms/finding.js';
import { idFrom, type Check } from '../peer/check.js';
import { person, userId } from '../peer/people.js';
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
