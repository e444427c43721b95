import { createBrowserClient } from 'sallyport/browser';

// From the server, so that one build serves every environment; or from import.meta.env.VITE_….
const { baseUrl, clientId } = await fetch('/api/config').then((response) => response.json());

export const client = createBrowserClient({ baseUrl, clientId, redirectUri: '/callback' });
