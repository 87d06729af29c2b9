import { listHas, readsBack, statusIs } from '../forms/expect.rules.js';
import {
  isRecord,
  listedRecords,
  valueAt,
  type Answer,
  finding,
  inJson,
  type DoctorFinding,
} from '../forms/finding.js';
import { skipped, type Check, person, userId } from '../peer/check.js';
import type { ScimService } from '../peer/scim-service.js';

const MOST_PAGES = 20;

/** Checks of lists, filters, pages and versions. */
export const QUERY_CHECKS: readonly Check[] = [
  { name: 'filters', run: async (service) => ({ findings: await filters(service) }) },
  {
    name: 'paging',
    async run(service) {
      const ids: string[] = [];
      for (const label of ['first', 'second', 'third']) ids.push(await userId(service, label));
      return walk(service, 'Users', 2, ids);
    },
  },
  {
    name: 'versions',
    async run(service) {
      const config = await service.get('/ServiceProviderConfig');
      if (valueAt(config.body, 'etag.supported') !== true) return skipped('ServiceProviderConfig has no etag');
      return { findings: await versions(service) };
    },
  },
];

async function filters(service: ScimService): Promise<DoctorFinding[]> {
  const id = await userId(service, 'first');
  const { userName, externalId, emails } = person(service, 'first') as Record<string, string>;
  const email = String(valueAt(emails, '0.value'));
  const found: DoctorFinding[] = [];
  const hits: [attribute: string, value: string, more?: string][] = [
    ['userName', userName!],
    ['username', userName!.toUpperCase()],
    ['externalId', externalId!],
    ['emails.value', email],
    ['emails[type eq "work"].value', email],
    // Okta asks in pages, and Entra with `and`.
    ['userName', userName!, '&startIndex=1&count=100'],
    [`active eq true and userName`, userName!],
  ];
  for (const [attribute, value, more] of hits)
    found.push(...listHas(await service.find('Users', attribute, value, more), [id]));
  found.push(...listHas(await service.find('Users', 'userName', service.name('absent')), []));
  found.push(...listHas(await service.find('Users', 'externalId', externalId!.toUpperCase()), []));
  const hit = await service.find('Users', 'userName', userName!);
  const { body } = await service.get(`/Users/${encodeURIComponent(id)}`);
  found.push(...readsBack(hit, isRecord(body) ? body : {}, listedRecords(hit)[0]));
  const partial = await service.find('Users', 'userName', userName!, '&attributes=userName');
  found.push(...listHas(partial, [id]));
  const record = listedRecords(partial)[0] ?? {};
  if ('emails' in record || !('userName' in record)) {
    found.push(
      finding('filter_result', 'attributes', `With attributes=userName a user has ${inJson(Object.keys(record))}.`),
    );
  }
  return found;
}

/**
 * Walks through the pages of a list to the last one, and asks for the one after it. Of a long list the first pages and the last one.
 *
 * @param wanted records of a page, where the service states no lower maximum
 * @param ids records that are in the list
 */
export async function walk(
  service: ScimService,
  collection: 'Users' | 'Groups',
  wanted: number,
  ids: readonly string[] = [],
): Promise<{ findings: DoctorFinding[]; note: string }> {
  const count = Math.min(wanted, await longestPage(service));
  const found: DoctorFinding[] = [];
  const seen = new Map<unknown, number>();
  const pageOf = (startIndex: number) => service.get(`/${collection}?startIndex=${startIndex}&count=${count}`);
  const first = await pageOf(1);
  found.push(...statusIs(first, 200));
  const total = valueAt(first.body, 'totalResults');
  if (typeof total !== 'number' || found.length > 0) return { findings: found, note: '' };
  let pages = 0;
  for (
    let startIndex = 1;
    startIndex <= total && pages < MOST_PAGES && found.length === 0;
    startIndex += count, pages++
  ) {
    const page = startIndex === 1 ? first : await pageOf(startIndex);
    found.push(...pageFindings(page, { startIndex, count, total }));
    for (const { id } of listedRecords(page)) {
      if (seen.has(id))
        found.push(
          finding(
            'page_wrong',
            'Resources',
            `${inJson(id)} is on the pages from ${seen.get(id)} and from ${startIndex}.`,
          ),
        );
      else seen.set(id, startIndex);
    }
  }
  const lacking = ids.filter((id) => !seen.has(id));
  if (total <= pages * count && lacking.length > 0 && found.length === 0) {
    found.push(finding('page_wrong', 'Resources', `No page of ${total} ${collection} has ${lacking.join(', ')}.`));
  }
  const lastIndex = total - ((total - 1) % count);
  if (total > pages * count && found.length === 0)
    found.push(...pageFindings(await pageOf(lastIndex), { startIndex: lastIndex, count, total }));
  const after = await pageOf(total + count + 1);
  found.push(...statusIs(after, 200));
  if (listedRecords(after).length > 0) {
    found.push(
      finding(
        'page_wrong',
        'Resources',
        `The page from ${total + count + 1} of ${total} has ${listedRecords(after).length} records.`,
      ),
    );
  }
  return { findings: found, note: `${total} ${collection} in pages of ${count}` };
}

/** A service may answer with fewer records than were asked for, and states how many (RFC 7643 §5). */
async function longestPage(service: ScimService): Promise<number> {
  const most = valueAt((await service.get('/ServiceProviderConfig')).body, 'filter.maxResults');
  return typeof most === 'number' && Number.isInteger(most) && most > 0 ? most : Infinity;
}

function pageFindings(
  page: Answer,
  { startIndex, count, total }: { startIndex: number; count: number; total: number },
): DoctorFinding[] {
  const found = statusIs(page, 200);
  const wrong = (field: string, expected: unknown) =>
    finding(
      'page_wrong',
      field,
      `The page from ${startIndex} with count ${count} has ${inJson(valueAt(page.body, field))} as ${field}; expected: ${inJson(expected)}.`,
    );
  // Both are required of a page that is not the whole list (RFC 7644 §3.4.2).
  const isWhole = startIndex === 1 && total <= count;
  const isMissing = (field: string) => isWhole && valueAt(page.body, field) === undefined;
  if (!isMissing('startIndex') && valueAt(page.body, 'startIndex') !== startIndex)
    found.push(wrong('startIndex', startIndex));
  const length = Math.min(count, total - startIndex + 1);
  if (listedRecords(page).length !== length) {
    found.push(
      finding(
        'page_wrong',
        'Resources',
        `The page from ${startIndex} with count ${count} has ${listedRecords(page).length} records; expected: ${length} of ${total}.`,
      ),
    );
  }
  if (!isMissing('itemsPerPage') && valueAt(page.body, 'itemsPerPage') !== length)
    found.push(wrong('itemsPerPage', length));
  if (valueAt(page.body, 'totalResults') !== total) found.push(wrong('totalResults', total));
  return found;
}

async function versions(service: ScimService): Promise<DoctorFinding[]> {
  const path = `/Users/${encodeURIComponent(await userId(service, 'first'))}`;
  const read = await service.get(path);
  const { etag } = read.headers;
  if (etag === undefined) return [finding('etag_wrong', 'ETag', `GET ${path} is answered without an ETag.`)];
  const found: DoctorFinding[] = [];
  const unchanged = await service.get(path, { headers: { 'if-none-match': etag } });
  if (unchanged.status !== 304)
    found.push(
      finding('etag_wrong', 'If-None-Match', `GET with the current version is answered ${unchanged.status}, not 304.`),
    );
  const changed = await service.patch(path, [{ op: 'replace', path: 'title', value: `Title ${service.run}` }], {
    'if-match': etag,
  });
  found.push(...statusIs(changed, 200, 204));
  const late = await service.patch(path, [{ op: 'replace', path: 'title', value: 'Too late' }], { 'if-match': etag });
  if (late.status !== 412)
    found.push(finding('etag_wrong', 'If-Match', `PATCH with an older version is answered ${late.status}, not 412.`));
  const after = await service.get(path);
  if (after.headers['etag'] === etag)
    found.push(finding('etag_wrong', 'ETag', 'The ETag of a user is the same after a change.'));
  return found;
}
