// Signs somebody in with openid-client, in each way that it knows and this server offers.
import * as openid from 'openid-client'
import { ask, given, tell } from './talk.mjs'

const server = new URL(given.server)
const insecure = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] }
const back = given.back

async function me(config, tokens) {
  const place = new URL('/v1/user', server)
  const answer = await openid.fetchProtectedResource(config, tokens.access_token, place, 'GET')
  return (await answer.json()).id
}

// What goes wrong, in the words of the protocol.
async function refusal(call) {
  try {
    await call()
  } catch (error) {
    return error.error ?? error.status ?? String(error)
  }
  return null
}

async function withCode(config) {
  const verifier = openid.randomPKCECodeVerifier()
  const checks = { pkceCodeVerifier: verifier, expectedState: openid.randomState() }
  const asked = openid.buildAuthorizationUrl(config, {
    redirect_uri: back,
    scope: 'read',
    state: checks.expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const arrived = new URL(await ask('visit', asked.href))
  const first = await openid.authorizationCodeGrant(config, arrived, checks)
  const second = await openid.refreshTokenGrant(config, first.refresh_token)
  const who = [await me(config, first), await me(config, second)]
  await openid.tokenRevocation(config, second.refresh_token)
  return {
    who,
    rotated: first.refresh_token !== second.refresh_token,
    codeAgain: await refusal(() => openid.authorizationCodeGrant(config, arrived, checks)),
    afterwards: await refusal(() => openid.refreshTokenGrant(config, second.refresh_token)),
    access: await refusal(() => me(config, second)),
  }
}

async function withDevice(config) {
  const begin = () => openid.initiateDeviceAuthorization(config, { scope: 'read write' })
  const allowed = await begin()
  await ask('allow', allowed.user_code)
  const tokens = await openid.pollDeviceAuthorizationGrant(config, allowed)
  const denied = await begin()
  await ask('deny', denied.user_code)
  return {
    who: [await me(config, tokens)],
    scope: tokens.scope,
    denied: await refusal(() => openid.pollDeviceAuthorizationGrant(config, denied)),
  }
}

async function registered(method) {
  const wanted = {
    client_name: 'Wick Trimmer',
    redirect_uris: [back],
    token_endpoint_auth_method: method,
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const login = method === 'none' ? openid.None() : undefined
  return openid.dynamicClientRegistration(server, wanted, login, insecure)
}

const result = {}
for (const { id, secret } of given.applications) {
  const login = secret ? openid.ClientSecretPost(secret) : openid.None()
  const config = await openid.discovery(server, id, undefined, login, insecure)
  result[secret ? 'confidential' : 'public'] = await withCode(config)
  if (!secret) result.device = await withDevice(config)
}
result.registered = await withCode(await registered('none'))
result.registeredWithSecret = await withCode(await registered('client_secret_basic'))
tell({ result })
