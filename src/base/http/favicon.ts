/** The picture of a page in the tab of a browser: a bridge, legible at 16 pixels on light and dark tabs. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1c4fd8"/><path d="M4 23h24M8 23v-5a8 8 0 0 1 16 0v5M16 10v13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>
`;

/** The element of a page that names the picture. The policy of the page needs `img-src 'self'`. */
export const FAVICON_LINK = '<link rel="icon" type="image/svg+xml" href="/favicon.svg">';
