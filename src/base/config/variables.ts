import { getMetadataStorage } from 'class-validator';
import { Environment } from './environment.js';

/** The names of all variables, in the order of the class. */
export const VARIABLES = [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Environment, '', false, false)
      .map(({ propertyName }) => propertyName as keyof Environment),
  ),
];
