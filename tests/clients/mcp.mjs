// Signs somebody in with the official client of the Model Context Protocol, and works with the tools.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { ask, given, tell } from './talk.mjs'

// What the client keeps between two connections, as a program would in a file.
class Kept {
  refreshed = 0
  redirectUrl = given.back
  clientMetadataUrl = given.document
  clientMetadata = { client_name: 'Agent', redirect_uris: [given.back], token_endpoint_auth_method: 'none' }
  state = () => 'a-state'
  clientInformation = () => this.client
  saveClientInformation = (client) => { this.client = client }
  tokens = () => this.held
  saveTokens = (tokens) => { this.refreshed += this.held ? 1 : 0; this.held = tokens }
  saveCodeVerifier = (verifier) => { this.verifier = verifier }
  codeVerifier = () => this.verifier
  redirectToAuthorization = async (address) => {
    this.asked = address.href
    this.arrived = new URL(await ask('visit', address.href)).searchParams
  }
}

const authProvider = new Kept()
const place = new URL(`${given.server}/mcp`)

async function connected() {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: given.mode } })
  const transport = new StreamableHTTPClientTransport(place, { authProvider })
  await client.connect(transport)
  return client
}

async function signedIn() {
  try {
    await connected()
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
  }
  await new StreamableHTTPClientTransport(place, { authProvider }).finishAuth(authProvider.arrived)
  return connected()
}

const client = await signedIn()
const first = authProvider.held
const tools = (await client.listTools()).tools.map((tool) => tool.name)
await ask('expire', null)
const opened = await client.callTool({
  name: 'open_change_request',
  arguments: { spaceId: given.space, subject: given.mode, idempotencyKey: `open ${given.mode}` },
})
tell({
  result: {
    asked: authProvider.asked,
    clientId: authProvider.client.client_id,
    tools,
    subject: opened.structuredContent.subject,
    version: client.getNegotiatedProtocolVersion?.() ?? null,
    refreshed: authProvider.refreshed,
    changed: first.access_token !== authProvider.held.access_token,
  },
})
