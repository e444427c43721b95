/** The address at which a session is ended; the user goes on to `returnTo`. */
export function logoutUrl(baseUrl: string, sessionId: string, returnTo: string | undefined): string {
  const query = new URLSearchParams({ session_id: sessionId, ...(returnTo && { return_to: returnTo }) });
  return `${baseUrl}/user_management/sessions/logout?${query}`;
}
