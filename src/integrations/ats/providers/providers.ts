import { ashby } from '../connectors/ashby/ashby.connector.js';
import type { Connector } from '../connectors/connector.js';
import { greenhouse } from '../connectors/greenhouse/greenhouse.connector.js';
import { lever } from '../connectors/lever/lever.connector.js';
import { zohoRecruit } from '../connectors/zoho-recruit/zoho-recruit.connector.js';

/** All connectors, in the order in which they are shown. A further vendor is a folder of `connectors` and a line here. */
const CONNECTORS: readonly Connector[] = [lever, greenhouse, ashby, zohoRecruit];

/** Returns the connector of a provider, or undefined if there is none. */
export function connectorOf(provider: string): Connector | undefined {
  return CONNECTORS.find((connector) => connector.provider === provider);
}

export function connectors(): readonly Connector[] {
  return CONNECTORS;
}
