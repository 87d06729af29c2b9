import { newId } from '../../base/ids.js';

const FORM = /^cli_([0-9a-z]{8,40})_[0-9a-hjkmnp-tv-z]{26}$/;

/** Creates the id of a client, which is its `client_id`: it names the tenant, so that a look-up begins with the tenant. */
export function newClientId(tenantId: string): string {
  return newId('cli').replace('_', `_${tenantId.replace(/^ten_/, '')}_`);
}

/** Returns the tenant that a `client_id` names; null: it is no id of a client. */
export function tenantOfClient(clientId: string): string | null {
  const tenant = FORM.exec(clientId)?.[1];
  return tenant === undefined ? null : `ten_${tenant}`;
}
