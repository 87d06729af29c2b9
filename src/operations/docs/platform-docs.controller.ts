import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { platformApi } from './platform-api.js';
import { platformPage } from './platform-page.js';

/** The contract of the hiring platform's API, for who builds the platform: as a page, and as OpenAPI. */
@Controller('docs')
@ApiExcludeController()
export class PlatformDocsController {
  @Get('platform')
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return platformPage();
  }

  @Get('platform.json')
  description(): object {
    return platformApi();
  }
}
