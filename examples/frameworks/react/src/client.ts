import { createBrowserClient } from 'sallyport/browser';

// Load the settings from the server, so that one build works in every environment. You can also use import.meta.env.VITE_….
const { baseUrl, clientId } = await fetch('/api/config').then((response) => response.json());

export const client = createBrowserClient({ dialect: 'workos', baseUrl, clientId, redirectUri: '/callback' });
