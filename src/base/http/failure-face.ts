import type { BridgeRequest, BridgeResponse } from './request.js';

/** A port: answers a request with an error, for middleware that answers refusals itself and can fail at that. */
export abstract class FailureFace {
  abstract answer(thrown: unknown, req: BridgeRequest, res: BridgeResponse): void;
}
