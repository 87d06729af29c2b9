// Runs before each spec file: the limit of a test scales with the speed that this process has just now.
import { patience } from './speed.js';

const { jest } = import.meta as unknown as { jest: { setTimeout(ms: number): void } };
jest.setTimeout(patience(60_000));
