/** Both bundlers build the same code. The first one builds it as users do, the second one only what bundlers do differently. */
const isSecond = process.env.SECOND_BUILD === "1";

/** Nothing uses the caches of a build that runs once. */
const shared = { experimental: { turbopackFileSystemCacheForBuild: false } };

const second = {
  typescript: { ignoreBuildErrors: true },
  outputFileTracingExcludes: { "*": ["**/*"] },
  webpack: (config) => ({
    ...config,
    cache: false,
    optimization: { ...config.optimization, minimize: false },
  }),
};

export default isSecond ? { ...shared, ...second } : shared;
