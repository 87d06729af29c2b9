export { DirectoriesPage } from './directories-page.js';
export { DirectoryPage } from './directory-page.js';
