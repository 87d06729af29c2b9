import { en } from './en.js';

/** All texts of a language. A language that lacks one does not compile. */
export type Texts = typeof en;

/** The texts of the console. */
export const text: Texts = en;
