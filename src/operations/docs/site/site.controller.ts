import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Controller, Get, Header, NotFoundException, Param, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Config } from '../../../base/config/config.js';
import { escapeHtml } from '../../../base/http/html.js';
import { search } from './search.rules.js';
import { layout, readSite, type Site } from './site.js';

const HTML = ['Content-Type', 'text/html; charset=utf-8'] as const;
const POLICY = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
] as const;

/** Addresses that lead to another page: the `type` of a problem, and the contract of the platform. */
const ALIASES: Readonly<Record<string, string>> = {
  '/docs/problems': '/docs/reference/errors',
  '/docs/platform': '/docs/integrate/platform',
};

@Controller('docs')
@ApiExcludeController()
export class SiteController {
  private made: Site | undefined;
  private style: string | undefined;

  constructor(private readonly config: Config) {}

  @Get()
  @Header(...HTML)
  @Header(...POLICY)
  home(): string {
    return this.show('/docs');
  }

  @Get('style.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  css(): string {
    this.style ??= readFileSync(path.join(import.meta.dirname, 'style.css'), 'utf8');
    return this.style;
  }

  @Get('diagrams/:picture')
  @Header('Content-Type', 'image/svg+xml')
  // A picture contains its styles.
  @Header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
  picture(@Param('picture') name: string): string {
    const picture = this.site.pictures.get(name);
    if (picture === undefined) throw new NotFoundException();
    return picture;
  }

  @Get('search')
  @Header(...HTML)
  @Header(...POLICY)
  find(@Query('q') query?: string): string {
    const asked = typeof query === 'string' ? query.slice(0, 200) : '';
    const items = search(this.site.sections, asked).map(
      ({ section: { page, heading, address }, excerpt }) =>
        `<li><a href="${address}">${escapeHtml(page === heading ? page : `${page}: ${heading}`)}</a><p>${escapeHtml(excerpt)}</p></li>`,
    );
    const html = `<h1>Search</h1>\n${items.length === 0 ? '<p>No page has all of these words.</p>' : `<ul class="hits">${items.join('\n')}</ul>`}`;
    return layout({ title: 'Search', html }, this.site.nav, '/docs/search', asked);
  }

  @Get('*page')
  @Header(...HTML)
  @Header(...POLICY)
  page(@Param('page') parts: string[] | string): string {
    return this.show(`/docs/${[parts].flat().join('/')}`);
  }

  private show(asked: string): string {
    const address = ALIASES[asked] ?? asked;
    const page = this.site.pages.get(address);
    if (page === undefined) throw new NotFoundException();
    return layout(page, this.site.nav, address);
  }

  private get site(): Site {
    const { baseUrl, sandbox } = this.config;
    this.made ??= readSite({ service: baseUrl, sandbox: `http://localhost:${sandbox.port}` });
    return this.made;
  }
}
