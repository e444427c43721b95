export { auditLogs } from '../../service/audit-logs.js';
