import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PROBLEM_CODES } from './problem-codes.js';

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1rem}
dt{margin-top:1rem;font-weight:600}dd{margin:0}:target{background:#fd06}`;

/** Where the `type` of a problem leads. */
@Controller('docs/problems')
@ApiExcludeController()
export class ProblemsController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    const rows = Object.entries(PROBLEM_CODES)
      .map(([code, text]) => `<dt id="${code}"><code>${code}</code></dt><dd>${text.replaceAll('`', '')}</dd>`)
      .join('\n');
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Problems – talent-bridge</title>
<style>${STYLE}</style></head>
<body><main><h1>Problems</h1><p>What the <code>code</code> of a refusal means.</p>
<dl>
${rows}
</dl></main></body></html>
`;
  }
}
