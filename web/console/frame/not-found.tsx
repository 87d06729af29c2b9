import { Link } from '@tanstack/react-router';
import { Page } from '../../parts/page.js';
import { text } from '../../text/text.js';

/** What stands at an address of the console that has no page. */
export function NotFound() {
  return (
    <Page title={text.notFound.title}>
      <p>{text.notFound.lead}</p>
      <Link to="/">{text.nav.overview}</Link>
    </Page>
  );
}
