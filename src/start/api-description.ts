import { randomBytes } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { loadConfig } from '../base/config/load-config.js';
import { describeApi } from '../operations/docs/docs.js';
import { AppModule } from './app.module.js';

/** Returns the description of the API without a running service: a preview of the application makes no provider. */
export async function apiDescription(): Promise<OpenAPIObject> {
  const secret = randomBytes(32).toString('base64');
  const config = loadConfig({ ENCRYPTION_KEY: secret, OPERATOR_TOKEN: secret });
  const app = await NestFactory.create(AppModule.preview(config), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return describeApi(app, config.apiBaseUrl);
}
