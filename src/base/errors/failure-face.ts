import type { BridgeRequest, BridgeResponse } from '../http/request.js';

/** Answers a request with whatever was thrown; for doors that answer refusals of their own and can fail at that, too. */
export abstract class FailureFace {
  abstract answer(thrown: unknown, req: BridgeRequest, res: BridgeResponse): void;
}
