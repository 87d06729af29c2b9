import { AshbySimulator } from './ashby/ashby.js';
import type { SimOptions } from './core/simulator.js';
import { GreenhouseSimulator } from './greenhouse/greenhouse.js';
import { LeverSimulator } from './lever/lever.js';

export { AshbySimulator } from './ashby/ashby.js';
export { GreenhouseSimulator } from './greenhouse/greenhouse.js';
export { LeverSimulator } from './lever/lever.js';
export { Simulator, type SimOptions } from './core/simulator.js';

/** Starts Lever. */
export function startLever(options: SimOptions = {}): Promise<LeverSimulator> {
  return LeverSimulator.start(options);
}

/** Starts Greenhouse. */
export function startGreenhouse(options: SimOptions = {}): Promise<GreenhouseSimulator> {
  return GreenhouseSimulator.start(options);
}

/** Starts Ashby. */
export function startAshby(options: SimOptions = {}): Promise<AshbySimulator> {
  return AshbySimulator.start(options);
}
