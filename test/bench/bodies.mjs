/** The body of a user as an IdP sends it. */
export const userBody = (tag, i, familyName = `F${i}`) =>
  JSON.stringify({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `${tag}-${i}@example.com`,
    externalId: `${tag}-${i}`,
    name: { givenName: `G${i}`, familyName },
    displayName: `G${i} F${i}`,
    emails: [{ value: `${tag}-${i}@example.com`, type: 'work', primary: true }],
    active: true,
  });

export const patchBody = (operations) =>
  JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations });

export const groupBody = (name, ids) =>
  JSON.stringify({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: name,
    members: ids.map((value) => ({ value })),
  });

/** A candidate as an automation tool sends it. */
export const candidateBody = (tag, i, more = {}) =>
  JSON.stringify({
    first_name: `G${i}`,
    last_name: `F${i}`,
    email: `${tag}-${i}@example.com`,
    external_id: `gh_${tag}_${i}`,
    metadata: { ats: 'greenhouse', ats_source: 'careers page', ats_priority: 'high', ...more },
  });
