// Runs before the first paint, so that the page never flashes in another theme.
try {
  const theme = localStorage.getItem('helve.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
} catch {
  // The browser allows no storage: the page follows the system.
}
