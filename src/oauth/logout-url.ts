/** Build the URL that ends a session and then redirects the user to `returnTo`. */
export function logoutUrl(baseUrl: string, sessionId: string, returnTo: string | undefined): string {
  const query = new URLSearchParams({ session_id: sessionId, ...(returnTo && { return_to: returnTo }) });
  return `${baseUrl}/user_management/sessions/logout?${query}`;
}
