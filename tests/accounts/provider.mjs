// A real OpenID Connect provider on a free port, which prints its issuer. Whoever signs in is who they say:
// `ann@example.org` with a verified address, `unverified:ann@example.org` without.
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const server = createServer((request, response) => answer(request, response))
let answer
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'docyard', client_secret: 'not-a-secret', redirect_uris: ['http://127.0.0.1/any'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: process.env.CLAIMS !== 'in-token',
    pkce: { required: () => true },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: id.replace('unverified:', ''),
        email_verified: !id.startsWith('unverified:'),
        name: 'Olga Idony',
      }),
    }),
  })
  provider.Client.prototype.redirectUriAllowed = () => true // the product's port is known only later
  answer = provider.callback()
  console.log(issuer)
})
