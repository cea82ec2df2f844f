<?php

namespace App\Controller;

use Symfony\Component\HttpFoundation\Response;
use Twig\Environment;

/** A page with a list: routing, a service, a template and an inherited layout, as an ordinary page has them. */
class ListController
{
    private $twig;

    public function __construct(Environment $twig)
    {
        $this->twig = $twig;
    }

    public function __invoke(): Response
    {
        $items = [];
        for ($i = 1; $i <= 50; ++$i) {
            $items[] = ['number' => $i, 'name' => 'Item '.$i, 'price' => $i * 3.5];
        }

        return new Response($this->twig->render('list.html.twig', ['items' => $items]));
    }
}
