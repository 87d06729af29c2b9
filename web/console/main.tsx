import '../styles/console.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient } from '../api/queries.js';
import { Gate } from './entry/gate.js';
import { secretFromAddress } from './entry/link-secret.js';

// The secret of a link leaves the address before anything else can read it.
const secret = secretFromAddress();

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <QueryClientProvider client={makeQueryClient()}>
      <Gate secret={secret} />
    </QueryClientProvider>
  </StrictMode>,
);
