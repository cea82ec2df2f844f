<?php

// The front controller, as Symfony's own: a kernel in the development environment, one request.

require_once 'Symfony/Bundle/FrameworkBundle/autoload.php';
require_once 'Symfony/Bundle/TwigBundle/autoload.php';
require_once 'Symfony/Component/Yaml/autoload.php';
require_once dirname(__DIR__).'/src/Kernel.php';
require_once dirname(__DIR__).'/src/Controller/ListController.php';

use Symfony\Component\HttpFoundation\Request;

$kernel = new App\Kernel($_SERVER['APP_ENV'] ?? 'dev', (bool) ($_SERVER['APP_DEBUG'] ?? true));
$request = Request::createFromGlobals();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
