import { LeverSimulator } from './lever/lever.js';
import type { SimOptions } from './core/simulator.js';

export { LeverSimulator } from './lever/lever.js';
export type { SimOptions } from './core/simulator.js';

/** Starts Lever. */
export function startLever(options: SimOptions = {}): Promise<LeverSimulator> {
  return LeverSimulator.start(options);
}
