import { cutTo } from '../../../base/characters.js';
import { NotUnderstood, type Connector, type InboundReading, type InboundRequest } from '../connectors/connector.js';

const MAX_REASON = 500;

/**
 * Returns what a body says, or why it is not understood.
 *
 * @param fault why the body cannot be read at all; null: it can
 */
export function readingOf(
  connector: Connector,
  request: InboundRequest,
  fault: string | null,
): InboundReading | string {
  if (fault !== null) return fault;
  try {
    return connector.inbound.read(request);
  } catch (error) {
    if (error instanceof NotUnderstood) return cutTo(error.message, MAX_REASON);
    // A body that a connector fails over is one that it does not understand. What it says may hold data of the body.
    return 'The body is not one that this ATS documents.';
  }
}
